export interface StaticHost {
  /** The address of the folder. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Throws an Error that says what to install where nginx, or rclone, is missing. */
export function requireStaticHosts(programs: readonly ('nginx' | 'rclone' | 'minisign')[]): void;
/** nginx over `folder`; its own files lie in `scratch`, which is created. */
export function startNginx(folder: string, scratch: string): Promise<StaticHost>;
/** `rclone serve s3` over the folder `buckets`, with a bucket for each folder in it. */
export function startS3(buckets: string, bucket: string): Promise<StaticHost & { readonly endpoint: string }>;
/** `rclone sync` of a folder into a bucket. Throws an Error with what rclone says. */
export function syncToS3(folder: string, endpoint: string, bucket: string): void;
