/**
 * Slugs: the segments of a place's path, made of a-z, 0-9 and single inner hyphens. slugOf is idempotent, so the path of a
 * web page and a path typed by hand ("/Île-de-France/Paris") lead to the same place. Slugs are truncated so that the
 * longest path of four slugs, with the suffixes that distinguish siblings, stays below MAX_PATH_LENGTH.
 */

import { foldText } from './fold-text.js';

/** Maximum length of a path in characters: no place has a longer one, and the API refuses longer ones. */
export const MAX_PATH_LENGTH = 1000;
/** Maximum length of the slug of a name, in characters. */
const MAX_SLUG_LENGTH = 180;
/** Maximum length of a suffix that distinguishes siblings with the same slug, in characters. */
const MAX_DISTINCTION_LENGTH = 40;
const ALREADY_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The slug of a name; empty if the name has neither letters nor digits. */
export function slugOf(name: string): string {
  if (name.length <= MAX_SLUG_LENGTH && ALREADY_SLUG.test(name)) return name;
  return cutSlug(foldText(name).replaceAll(' ', '-'), MAX_SLUG_LENGTH);
}

/**
 * The slug of a text that distinguishes a place from siblings with the same slug. Short, because it follows that slug.
 */
export function distinctionSlugOf(text: string): string {
  return cutSlug(slugOf(text), MAX_DISTINCTION_LENGTH);
}

function cutSlug(slug: string, length: number): string {
  return slug.length <= length ? slug : slug.slice(0, length).replace(/-$/, '');
}
