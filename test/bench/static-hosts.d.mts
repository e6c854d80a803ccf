export interface StaticHost {
  /** The address of the folder. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Throws an Error that says what to install where a program is missing; `s3` is an S3 server, whichever it is. */
export function requireStaticHosts(programs: readonly ('nginx' | 'rclone' | 'minisign' | 's3')[]): void;
/** nginx over `folder`; its own files lie in `scratch`, which is created. */
export function startNginx(folder: string, scratch: string): Promise<StaticHost>;
/**
 * An S3 server that keeps its objects in `folder`, and the address of a bucket that everybody may read. `sync` fills the
 * bucket by `rclone sync` over S3, and throws an Error with what rclone says.
 */
export function startS3(folder: string): Promise<StaticHost & { readonly program: string; sync(from: string): void }>;
