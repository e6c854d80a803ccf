/** Presses the button of a form whose page is only a step on the way; not where one came back to the page. */
export function sendAtOnce(form: HTMLFormElement): void {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (navigation?.type === 'navigate') form.requestSubmit();
}
