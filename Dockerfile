# Two stages: the first compiles and drops what only the build needs, the second runs as nobody in particular.
# The key store comes from a volume; nothing inside the image is written to, so its root may be read-only. /data has the
# world of data/starter as a published snapshot: a volume there replaces it.
# The image is the program: what stands behind its name in `docker run` is a subcommand. Where nothing stands there, it is
# `start`: API and site, with a demo key.
# The base is one image whatever the tag names later: node 24.19.0, for amd64, arm64 and ppc64le. To renew it, take the
# digest that `docker buildx imagetools inspect node:24-bookworm-slim` prints, run the tests, and commit it here.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json tsconfig.library.json ./
COPY scripts scripts
COPY clients clients
COPY src src
COPY build-index build-index
COPY demo demo
COPY cli cli
COPY data data
RUN npm run build && node dist/cli/main.js build data/starter --out /world.snapshot --site-url http://127.0.0.1:3001 \
  && node dist/cli/main.js publish /world.snapshot --to /published \
  && rm -r data/starter data/starter.snapshot /world.snapshot && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
# The operators' port is for this container alone until ADMIN_HOST says otherwise.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 ADMIN_PORT=9090 SNAPSHOT=/data KEYS_DIR=/keys SITE_HOST=0.0.0.0 SITE_PORT=3001 SITE_ADMIN_PORT=9091
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/data data
COPY docs docs
COPY LICENSE NOTICE ./
COPY --from=build --chown=node:node /published /data
RUN mkdir /keys && chown node:node /keys
USER node
VOLUME /keys
EXPOSE 3000 3001 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["start"]
