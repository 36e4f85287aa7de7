# Compiles the sources. The compiler is a native program in an optional package, so everything is installed here.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/ferrule/package.json ./packages/ferrule/
COPY packages/sandbox/package.json ./packages/sandbox/
COPY packages/server/package.json ./packages/server/
COPY packages/web/package.json ./packages/web/
RUN npm ci
COPY scripts ./scripts
COPY tsconfig.json ./
COPY packages ./packages
COPY docs ./docs
RUN npm run build

# What the compiled service needs to run, and nothing else.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/ferrule/package.json ./packages/ferrule/
COPY packages/sandbox/package.json ./packages/sandbox/
COPY packages/server/package.json ./packages/server/
COPY packages/web/package.json ./packages/web/
RUN npm ci --omit=dev --omit=optional

FROM node:24-slim
LABEL org.opencontainers.image.title="Ferrule" org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
# Without this, glibc keeps a heap for each thread: 50 MB.
ENV MALLOC_ARENA_MAX=2
ENV NODE_ENV=production FERRULE_HOST=0.0.0.0 FERRULE_PORT=8080 FERRULE_DATA=/data FERRULE_SHUTDOWN_DELAY=5
# The service writes to /data; its operator runs `ferrule-server` in the container.
RUN mkdir /data && chown node:node /data && ln -s /app/packages/server/dist/cli.js /usr/local/bin/ferrule-server
# The manifests of our packages come along: installed packages link to their folders.
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/packages ./packages
COPY --from=build /app/packages/ferrule/dist ./packages/ferrule/dist
COPY --from=build /app/packages/sandbox/dist ./packages/sandbox/dist
COPY --from=build /app/packages/server/dist ./packages/server/dist
COPY package.json LICENSE ./
USER node
VOLUME /data
EXPOSE 8080
# The image has no curl; Node is there.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.FERRULE_PORT + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "packages/server/dist/main.js"]
