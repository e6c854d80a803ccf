/**
 * Suggestions while typing: makes a combobox of the field and the list of a search form, after the pattern "combobox
 * with list autocomplete" of the ARIA Authoring Practices. Enter without a choice sends the form as it does without a
 * script.
 */
import Combobox from './combobox-nav.js';

interface Hit {
  readonly name: string;
  readonly where: string;
  readonly path: string;
}

const PAUSE_MS = 120;
const SHORTEST_QUERY = 2;

export function suggestIn(form: HTMLFormElement, number: number): void {
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
      const response = await fetch(`/suggest?q=${encodeURIComponent(query)}`, { signal });
      const hits = response.ok ? ((await response.json()) as Hit[]) : [];
      if (!signal.aborted && document.activeElement === input) show(hits);
    } catch {
      // Without an answer, or with a newer question, there is nothing to show.
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
    if (path !== undefined) window.location.assign(path);
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
