# Two stages: the first compiles and drops what only the build needs, the second runs as nobody in particular.
# Snapshots and the key store come from volumes; nothing inside the image is written to, so its root may be read-only.
# The image has every program. By itself it starts the server and the site, with a demo key that it prints, over the starter
# data of the package; `-v places:/data -e SNAPSHOT=/data` gives it snapshots that `build-index publish` has put there.
# Anything else is a command: the server alone is `node dist/src/main.js`, the site `node dist/src/site/main.js`.
# The base is one image whatever the tag names later: node 24.19.0, for amd64, arm64 and ppc64le. To renew it, take the
# digest that `docker buildx imagetools inspect node:24-bookworm-slim` prints, run the tests, and commit it here.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json tsconfig.browser.json ./
COPY scripts scripts
COPY src src
COPY build-index build-index
COPY quick-start quick-start
COPY data data
RUN npm run build && rm -r data/starter && npm prune --omit=dev --no-audit --no-fund

FROM ${NODE_IMAGE}
# The operators' port is for this container alone until ADMIN_HOST says otherwise.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 ADMIN_PORT=9090 KEYS_DIR=/keys SITE_HOST=0.0.0.0 SITE_PORT=3001 SITE_ADMIN_PORT=9091
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/data data
COPY docs docs
RUN mkdir /data /keys && chown node:node /data /keys
USER node
VOLUME ["/data", "/keys"]
EXPOSE 3000 3001 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/quick-start/main.js"]
