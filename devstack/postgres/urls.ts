import type { StackRecord } from '../record/stack-record.ts'

export function superuserUrl({ ports, secrets }: StackRecord): string {
  return `postgres://postgres:${secrets.postgres.superuser}@127.0.0.1:${ports.postgres}/postgres`
}

export function adminUrl({ ports, secrets }: StackRecord): string {
  return `postgres://bg_admin:${secrets.postgres.admin}@127.0.0.1:${ports.postgres}/broadgauge`
}

export function serviceUrl({ ports, secrets }: StackRecord): string {
  return `postgres://bg_service:${secrets.postgres.service}@127.0.0.1:${ports.postgres}/broadgauge`
}
