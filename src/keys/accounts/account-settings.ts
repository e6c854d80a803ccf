/** What the operator of a site decides about the accounts of developers. */
export interface AccountSettings {
  /** Seals keys, so that they can be shown again. */
  readonly keySecret: string;
  readonly keysPerAccount: number;
  /** Whose addresses may sign up; null for everybody's. */
  readonly domains: readonly string[] | null;
}
