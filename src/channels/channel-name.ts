/** The names of channels. */

export const DEFAULT_CHANNEL = 'stable';

export function isChannelName(name: string): boolean {
  return /^[a-z][a-z0-9-]{0,30}$/.test(name);
}
