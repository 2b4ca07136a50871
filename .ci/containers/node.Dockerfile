# Stands in for node:…-slim: Debian with the Node.js and npm that run the checks.
FROM localhost/debian
COPY node/ /usr/local/
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && useradd --create-home --uid 1000 node && node --version
CMD ["node"]
