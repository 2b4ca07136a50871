import { stackStatus, type Stack } from '../../../devstack/index.ts'
import { clickHouseComponents } from '../../../devstack/clickhouse/component.ts'
import type { Component } from '../../../devstack/component.ts'
import { readRecord } from '../../../devstack/record/stack-record.ts'
import { start, stop } from '../../../devstack/start-and-stop.ts'
import type { BreakingProxy } from './breaking-proxy.ts'

/** ClickHouse of a stack of its own. */
export type BrokenEngine = {
  /** Starts it again if it has ended itself; whether it had. */
  readonly revive: () => Promise<boolean>
}

/**
 * With a proxy, ClickHouse reaches the storage through it. It is told the storage's address, and that it may write there, by
 * its configuration when it starts; so it is started again by a record of the stack in which the proxy is the storage.
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
