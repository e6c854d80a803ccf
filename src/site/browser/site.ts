/**
 * The script of every page: copy buttons, a filter of codes, suggestions in the search form, "Where am I?", and the
 * hiding of a key that is shown in clear. Each page works without it.
 */

import Combobox from './combobox-nav.js';

/*
 * Adds a button after a copyable text, or in the corner of a block of code, which copies the text or the value of its
 * attribute data-copied.
 */

const TOLD_MS = 2_000;

function addCopyButton(source: HTMLElement): void {
  // Without TLS there is no clipboard.
  if (navigator.clipboard === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copying';
  const { copied } = source.dataset;
  const label = copied === undefined ? 'Copy' : 'Copy curl';
  button.textContent = label;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(copied ?? source.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed here';
    }
    window.setTimeout(() => {
      button.textContent = label;
    }, TOLD_MS);
  });
  const block = source.closest('pre');
  if (block === null) {
    source.after(button);
    return;
  }
  // The button lies over the block and stays where it is while the block is scrolled.
  const frame = document.createElement('div');
  frame.className = 'code-block';
  block.replaceWith(frame);
  frame.append(block, button);
}

/* Adds a field to folded codes that hides all codes without the text in it. */

function addFilter(folded: HTMLElement): void {
  const list = folded.querySelector('ul');
  if (list === null) return;
  const label = document.createElement('label');
  const [field, count] = [document.createElement('input'), document.createElement('span')];
  field.type = 'search';
  count.setAttribute('role', 'status');
  label.append('Filter ', field, ' ', count);
  list.before(label);
  field.addEventListener('input', () => {
    const wanted = withoutSpaces(field.value);
    const items = [...list.children] as HTMLElement[];
    for (const item of items) item.hidden = !withoutSpaces(item.textContent ?? '').includes(wanted);
    count.textContent = wanted === '' ? '' : `${items.filter(({ hidden }) => !hidden).length} of ${items.length}`;
  });
}

function withoutSpaces(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase();
}

/* A page that shows a key in clear goes to the page that hides it: in time, and when the browser brings it back. */

function hideInTime(shown: HTMLElement): void {
  const hide = (): void => window.location.replace('/account');
  window.setTimeout(hide, Number(shown.dataset.hides) * 1_000);
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) hide();
  });
}

/* "Where am I?": asks the browser for its position, and the site for the place nearest to it. */

interface Nearest {
  readonly name: string;
  readonly where: string;
  readonly path: string;
  readonly distanceKm: number;
}

/** A position in a country without data. */
interface WithoutData {
  readonly countryWithoutData: string;
}

/**
 * Decimals of coordinates: with more the site would learn where a visitor is, with fewer another place could be
 * nearest.
 */
const DECIMALS = 3;
const POSITION_TIMEOUT_MS = 15_000;

function offerLocating(area: HTMLElement): void {
  const button = area.querySelector('button');
  const status = area.querySelector('[role=status]');
  if (button === null || status === null || !('geolocation' in navigator)) return;
  area.hidden = false;
  const locate = async (position: GeolocationPosition): Promise<void> => {
    const { latitude, longitude } = position.coords;
    const query = `lat=${latitude.toFixed(DECIMALS)}&lng=${longitude.toFixed(DECIMALS)}`;
    try {
      const response = await fetch(`/nearest?${query}`);
      const nearest = response.ok ? ((await response.json()) as Nearest | WithoutData | null) : null;
      status.replaceChildren(describeNearest(nearest));
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

function describeNearest(nearest: Nearest | WithoutData | null): string | HTMLElement {
  if (nearest === null) return 'No place within 80 km is known.';
  return 'countryWithoutData' in nearest ? `No postal codes for ${nearest.countryWithoutData}.` : linkTo(nearest);
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

/*
 * Suggestions while typing: makes a combobox of the field and the list of a search form, after the pattern "combobox
 * with list autocomplete" of the ARIA Authoring Practices. Enter without a choice sends the form as it does without a
 * script.
 */

interface Hit {
  readonly name: string;
  readonly where: string;
  readonly path: string;
}

const PAUSE_MS = 120;
const SHORTEST_QUERY = 2;

function suggestIn(form: HTMLFormElement, number: number): void {
  const input = form.querySelector('input');
  const list = form.querySelector('ul');
  const status = form.querySelector('[role=status]');
  if (input === null || list === null || status === null) return;
  list.id = `suggestions-${number}`;
  const combobox = new Combobox(input, list, { tabInsertsSuggestions: false });
  let asked: AbortController | undefined;
  let timer: number | undefined;

  const hide = (): void => {
    if (list.hidden) return;
    combobox.stop();
    list.hidden = true;
    status.textContent = '';
  };
  const show = (hits: readonly Hit[]): void => {
    hide();
    if (hits.length === 0) return;
    list.replaceChildren(...hits.map((hit, index) => optionOf(hit, `${list.id}-${index}`)));
    list.hidden = false;
    combobox.start();
    status.textContent = hits.length === 1 ? '1 suggestion' : `${hits.length} suggestions`;
  };
  const ask = async (): Promise<void> => {
    asked?.abort();
    asked = new AbortController();
    const query = input.value.trim();
    if (query.length < SHORTEST_QUERY) {
      hide();
      return;
    }
    const { signal } = asked;
    try {
      // Relative to the page of results: /suggest, or /docs/suggest.
      const response = await fetch(new URL(`suggest?q=${encodeURIComponent(query)}`, form.action), { signal });
      const hits = response.ok ? ((await response.json()) as Hit[]) : [];
      if (!signal.aborted && document.activeElement === input) show(hits);
    } catch {
      // A failed request shows nothing; the request that replaced an aborted one shows its own suggestions.
      if (!signal.aborted) hide();
    }
  };

  input.addEventListener('input', () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), PAUSE_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || list.hidden) return;
    // The browser would empty the field.
    event.preventDefault();
    hide();
  });
  input.addEventListener('blur', () => {
    asked?.abort();
    window.clearTimeout(timer);
    hide();
  });
  // The field keeps the focus while an option is pressed.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('combobox-commit', ({ target }) => {
    const path = target instanceof HTMLElement ? target.dataset.path : undefined;
    if (path === undefined) return;
    // The path may lead to a paragraph of this page.
    hide();
    window.location.assign(path);
  });
}

function optionOf({ name, where, path }: Hit, id: string): HTMLLIElement {
  const option = document.createElement('li');
  option.id = id;
  option.setAttribute('role', 'option');
  option.dataset.path = path;
  const [title, around] = [document.createElement('b'), document.createElement('span')];
  title.textContent = name;
  around.textContent = where;
  for (const part of [title, around]) part.dir = 'auto';
  option.append(title, ' ', around);
  return option;
}

document.querySelectorAll<HTMLFormElement>('form.search').forEach(suggestIn);
document.querySelectorAll<HTMLElement>('code.copy, pre > code').forEach(addCopyButton);
document.querySelectorAll<HTMLElement>('.filtered').forEach(addFilter);
document.querySelectorAll<HTMLElement>('.locate').forEach(offerLocating);
document.querySelectorAll<HTMLElement>('[data-hides]').forEach(hideInTime);
// Sends a form that is only a step on the way; browsers leave such a page out of the history.
document.querySelectorAll<HTMLFormElement>('form[data-sends]').forEach((form) => {
  form.requestSubmit();
});
