import { stackStatus, type Stack } from '../../../devstack/index.ts'
import { clickHouseComponents } from '../../../devstack/clickhouse/component.ts'
import type { Component } from '../../../devstack/component.ts'
import { readRecord } from '../../../devstack/record/stack-record.ts'
import { start, stop } from '../../../devstack/start-and-stop.ts'
import type { BreakingProxy } from './breaking-proxy.ts'

/** ClickHouse of a separate development stack. */
export type BrokenEngine = {
  /** Starts ClickHouse again if it has exited. Returns true if it had exited. */
  readonly revive: () => Promise<boolean>
}

/**
 * Connects to the ClickHouse of the stack. If `storage` is a proxy, ClickHouse must reach the object storage through
 * the proxy. ClickHouse reads the address of the storage from its configuration only at start. So this function
 * restarts ClickHouse with a configuration that has the address of the proxy.
 */
export async function openBrokenEngine(stack: Stack, storage: BreakingProxy | null): Promise<BrokenEngine> {
  const engine = await engineOf(stack, storage)
  if (storage !== null) {
    await stop(engine)
    await start(engine)
  }
  return {
    revive: async () => {
      const status = (await stackStatus(stack)).find(({ component }) => component === engine.name)
      if (status === undefined || status.running) return false
      await start(engine)
      return true
    },
  }
}

async function engineOf({ name }: Stack, storage: BreakingProxy | null): Promise<Component> {
  const record = await readRecord(name)
  if (record === undefined) throw new Error(`there is no stack ${name}`)
  const { ports } = record
  const objects = storage === null ? ports.objects : { ...ports.objects, gateway: storage.port }
  const [engine] = clickHouseComponents({ ...record, ports: { ...ports, objects } })
  if (engine === undefined) throw new Error(`the stack ${name} has no ClickHouse`)
  return engine
}
