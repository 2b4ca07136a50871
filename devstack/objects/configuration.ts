import { join } from 'node:path'
import type { StackRecord } from '../record/stack-record.ts'

export type CephPaths = ReturnType<typeof cephPaths>

/** Ceph settings that determine how the gateway removes expired objects. */
const removals = `# One list each of what is to be removed: looking through 32 of them every few seconds takes a tenth of a processor.
rgw gc max objs = 1
rgw lc max objs = 1
rgw gc obj min wait = 5
rgw gc processor period = 5
# A day of a life-cycle rule lasts ten seconds, so that expiry can be tested; what is removed makes room at once.
rgw lc debug interval = 10
# A gateway that was killed leaves its locks; the next one shall not wait 90 s for them.
rgw lc lock max time = 5
`

export function cephPaths(stackDirectory: string) {
  const directory = join(stackDirectory, 'objects')
  return {
    directory,
    configuration: join(directory, 'ceph.conf'),
    keyring: join(directory, 'keyring'),
    monitorMap: join(directory, 'monmap'),
    monitor: join(directory, 'mon'),
    storage: join(directory, 'osd'),
    gateway: join(directory, 'rgw'),
    /** Written last. A cluster without this file was interrupted during its creation and is created again. */
    complete: join(directory, 'complete.json'),
  }
}

export function monitorAddress({ objects }: StackRecord['ports']): string {
  return `[v2:127.0.0.1:${objects.monitor}]`
}

/** Configuration of a complete Ceph cluster with one monitor, one disk (a sparse file) and one gateway, tuned to start fast. */
export function cephConfiguration({ ports }: StackRecord, paths: CephPaths, clusterId: string): string {
  return `[global]
fsid = ${clusterId}
mon initial members = a
mon host = ${monitorAddress(ports)}
keyring = ${paths.keyring}
mon data = ${paths.monitor}
osd data = ${paths.storage}
rgw data = ${paths.gateway}
run dir = ${paths.directory}
# Everything goes to standard error, which devstack keeps in the stack's log directory.
log file =
log to stderr = true
err to stderr = true
mon cluster log file =
debug rocksdb = 1
# A socket's path must be shorter than 108 bytes, which a checkout's depth does not guarantee.
admin socket =

public network = 127.0.0.0/8
ms bind msgr1 = false
ms bind port min = ${ports.objects.storageFirst}
ms bind port max = ${ports.objects.storageLast}
rgw frontends = beast endpoint=127.0.0.1:${ports.objects.gateway} tcp_nodelay=1

auth cluster required = cephx
auth service required = cephx
auth client required = cephx
auth allow insecure global id reclaim = false

# One copy of everything, and as few placement groups as possible.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
rgw rados pool pg num min = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
# A developer's disk that is nearly full must not stop the cluster.
mon data avail warn = 1
mon data avail crit = 1

osd objectstore = bluestore
bluestore block size = 21474836480
osd memory target = 939524096
# Start in one second, not five: no check of a disk that was just made, no quarter-second wait at each close.
bluestore fsck on mkfs = false
bluestore fsck on mount = false
bdev aio poll ms = 10
paxos propose interval = 0.02
paxos min wait = 0.01
# The gateway asks before the storage is up; it shall ask again at once, not after five seconds.
objecter tick interval = 0.2
mon client hunt interval = 0.2
${removals}`
}
