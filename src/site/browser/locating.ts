/** "Where am I?": asks the browser for its position, and the site for the place nearest to it. */

interface Nearest {
  readonly name: string;
  readonly where: string;
  readonly path: string;
  readonly distanceKm: number;
}

/** Finer, and the site would learn where a visitor is; coarser, and the nearest place could be another. */
const DECIMALS = 3;
const POSITION_TIMEOUT_MS = 15_000;

export function offerLocating(area: HTMLElement): void {
  const button = area.querySelector('button');
  const status = area.querySelector('[role=status]');
  if (button === null || status === null || !('geolocation' in navigator)) return;
  area.hidden = false;
  const locate = async (position: GeolocationPosition): Promise<void> => {
    const { latitude, longitude } = position.coords;
    const query = `lat=${latitude.toFixed(DECIMALS)}&lng=${longitude.toFixed(DECIMALS)}`;
    try {
      const response = await fetch(`/nearest?${query}`);
      const nearest = response.ok ? ((await response.json()) as Nearest | null) : null;
      status.replaceChildren(nearest === null ? 'No place within 80 km is known.' : linkTo(nearest));
    } catch {
      status.textContent = 'The site could not be asked.';
    }
  };
  button.addEventListener('click', () => {
    status.textContent = 'Asking your browser …';
    navigator.geolocation.getCurrentPosition(
      (position) => void locate(position),
      () => {
        status.textContent = 'Your browser did not tell.';
      },
      { timeout: POSITION_TIMEOUT_MS, maximumAge: 60_000 },
    );
  });
}

function linkTo({ name, where, path, distanceKm }: Nearest): HTMLElement {
  const text = document.createElement('span');
  const link = document.createElement('a');
  link.href = path;
  link.textContent = name;
  link.dir = 'auto';
  text.append(link, `, ${where}: ${distanceKm < 10 ? distanceKm.toFixed(1) : Math.round(distanceKm)} km away`);
  return text;
}
