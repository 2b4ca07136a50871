import type { Command } from '../daemon/start-daemon.ts'

// The user and group "nobody", which exist everywhere. PostgreSQL refuses to run as root.
export const nobody = { uid: 65534, gid: 65534 }

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * The same command, given up root's identity when we have it.
 * The checkout may lie where nobody cannot enter (/root, a temporary directory), so the one right to pass through
 * directories is kept. PostgreSQL looks for its programs by access(2), which ignores that right unless the
 * no_setuid_fixup bit is set.
 */
export function asUnprivileged(command: Command): Command {
  if (!isRoot()) return command
  const identity = [`--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup']
  return { ...command, program: 'setpriv', arguments: [...identity, ...rights, command.program, ...command.arguments] }
}
