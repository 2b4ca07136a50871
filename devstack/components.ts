import { clickHouseComponents } from './clickhouse/component.ts'
import type { Component, StackComponent } from './component.ts'
import { objectsComponents } from './objects/component.ts'
import { postgresComponent } from './postgres/component.ts'
import type { StackRecord } from './record/stack-record.ts'

export function componentsOf(record: StackRecord): Component[] {
  return [postgresComponent(record), ...clickHouseComponents(record), ...objectsComponents(record)]
}

export function componentNamed(record: StackRecord, name: StackComponent): Component {
  const components = componentsOf(record)
  const component = components.find((candidate) => candidate.name === name)
  if (component) return component
  throw new Error(`The stack has no "${name}"; it has ${components.map((each) => each.name).join(', ')}.`)
}
