/** The build puts the package's file beside the scripts of this folder. */
export { default } from '@github/combobox-nav';
