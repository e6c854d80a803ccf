/** Numbers, distances and times as readers see them. */

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function formatCounted(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

const GROUPS = /\B(?=(?:\d{3})+$)/g;

/** With commas: 1,201,340. */
export function formatNumber(value: number): string {
  return value < 1000 ? String(value) : String(value).replace(GROUPS, ',');
}

export function formatKm(km: number): string {
  if (km >= 9.95) return `${Math.round(km)} km`;
  // `toFixed` takes five times as long, and pages have dozens of distances.
  const tenths = Math.round(km * 10);
  return tenths === 0 ? 'here' : `${Math.floor(tenths / 10)}.${tenths % 10} km`;
}

/** Short distances in metres, for points that are right to some metres: "40 m". */
export function formatMetres(km: number): string {
  const metres = Math.round(km * 100) * 10;
  return metres === 0 || metres >= 1000 ? formatKm(km) : `${metres} m`;
}

/** An instant to the minute: `2026-11-22 23:15 UTC`. */
export function formatMinute(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}
