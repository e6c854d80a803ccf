export interface StaticHost {
  /** The address of the folder. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Throws an Error that says what to install where nginx, or rclone, is missing. */
export function requireStaticHosts(programs: readonly ('nginx' | 'rclone' | 'minisign')[]): void;
/** nginx over `folder`; its own files lie in `scratch`, which is created. */
export function startNginx(folder: string, scratch: string): Promise<StaticHost>;
/**
 * `rclone serve s3` over `folder`, or `rclone serve http` where rclone is older than 1.65 and has no S3, as Debian 12's
 * is; `sync` fills it by `rclone sync`, and throws an Error with what rclone says.
 */
export function startRclone(
  folder: string,
): Promise<StaticHost & { readonly protocol: 's3' | 'http'; sync(from: string): void }>;
