/**
 * A page that shows a key in clear goes back to the one that hides it, also where it was kept while another was open.
 */

export function hideInTime(shown: HTMLElement): void {
  const hide = (): void => window.location.replace('/account');
  window.setTimeout(hide, Number(shown.dataset.hides) * 1_000);
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) hide();
  });
}
