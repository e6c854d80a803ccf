/** Starts Swagger UI on the page of the console, over the description that the site serves. */

interface SwaggerOptions {
  readonly url: string;
  readonly dom_id: string;
  readonly layout: string;
  readonly presets: readonly unknown[];
  readonly validatorUrl: null;
  readonly persistAuthorization: boolean;
}

declare const SwaggerUIBundle: {
  (options: SwaggerOptions): unknown;
  readonly presets: { readonly apis: unknown };
};

SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#console',
  // The other layout sets styles on elements, which the policy of the site forbids.
  layout: 'BaseLayout',
  presets: [SwaggerUIBundle.presets.apis],
  // Else it would ask a public service about the description.
  validatorUrl: null,
  persistAuthorization: false,
});
