import type { Component } from '../component.ts'
import type { StackRecord } from '../record/stack-record.ts'
import { cephComponent } from './ceph.ts'
import { s3rverComponent } from './s3rver.ts'

/** Returns no component for a stack without object storage. */
export function objectsComponents(record: StackRecord): Component[] {
  if (record.objects === 'none') return []
  return [record.objects === 's3rver' ? s3rverComponent(record) : cephComponent(record)]
}
