#!/bin/sh
# The image runs this script once, when the data directory is empty. It creates the roles and the database that `broadgauge
# migrate` expects.
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv admin POSTGRES_ADMIN_PASSWORD
\getenv service POSTGRES_SERVICE_PASSWORD
\getenv dictionary POSTGRES_DICTIONARY_PASSWORD
CREATE ROLE broadgauge_operator NOLOGIN;
CREATE ROLE broadgauge_service NOLOGIN;
CREATE ROLE broadgauge_dictionary NOLOGIN;
CREATE ROLE bg_admin LOGIN PASSWORD :'admin';
CREATE ROLE bg_service LOGIN PASSWORD :'service';
CREATE ROLE bg_dictionary LOGIN PASSWORD :'dictionary';
GRANT broadgauge_operator TO bg_admin;
GRANT broadgauge_service TO bg_service;
GRANT broadgauge_dictionary TO bg_dictionary;
CREATE DATABASE broadgauge OWNER bg_admin TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';
SQL
