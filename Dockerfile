# The image of the program, for `docker build .` and docker-compose.yml. It contains the
# binary and the certificates of well-known authorities: no shell, no other user.
# docs/containers.md describes how to run it.

# GraphiQL, which the program embeds.
FROM node:22-slim AS console
WORKDIR /src/console
COPY console/package.json console/package-lock.json ./
RUN npm ci --no-progress
COPY console/ ./
RUN npm run --silent build && rm -rf dist && mv .dist dist

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=console /src/console/dist console/dist
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.stamped=${VERSION}" -o /out/frond ./cmd/frond
RUN mkdir -p /out/data

FROM scratch
ARG VERSION=devel
LABEL org.opencontainers.image.title="frond" \
      org.opencontainers.image.description="Cards become GraphQL, REST and JSON-RPC" \
      org.opencontainers.image.source="https://github.com/frondhost/frond" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/frond /frond
COPY --from=build --chown=65532:65532 /out/data /data
# There is no /etc/passwd, so the user is a number.
USER 65532:65532
ENV FROND_STORE=sqlite:/data/frond.db
VOLUME /data
EXPOSE 8080 4100
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/frond", "health", "http://127.0.0.1:8080"]
ENTRYPOINT ["/frond"]
CMD ["gateway", "/project"]
