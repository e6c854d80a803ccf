/**
 * Slugs: the segments of a place's path, made of a-z, 0-9 and single inner hyphens. A slug is its own slug, so a path
 * of a web page and one typed by hand ("/Île-de-France/Paris") compare alike. Slugs are cut so that the longest path of
 * four, with what tells siblings apart, stays below MAX_PATH_LENGTH.
 */
import { foldText } from './fold-text.js';

/** Characters of a path that the server looks at; no place has a longer one. */
export const MAX_PATH_LENGTH = 1000;
const MAX_SLUG_LENGTH = 180;
const MAX_DISTINCTION_LENGTH = 40;
const ALREADY_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The slug of a name; empty when the name has neither letters nor digits. */
export function slugOf(name: string): string {
  if (name.length <= MAX_SLUG_LENGTH && ALREADY_SLUG.test(name)) return name;
  return cutSlug(foldText(name).replaceAll(' ', '-'), MAX_SLUG_LENGTH);
}

/** The slug of what tells a place from siblings of the same slug: short, since it comes behind that slug. */
export function distinctionSlugOf(text: string): string {
  return cutSlug(slugOf(text), MAX_DISTINCTION_LENGTH);
}

function cutSlug(slug: string, length: number): string {
  return slug.length <= length ? slug : slug.slice(0, length).replace(/-$/, '');
}
