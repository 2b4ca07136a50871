import type { Command } from '../daemon/start-daemon.ts'

// PostgreSQL refuses to run as root. It runs as the user and group "nobody", which exist on every system.
export const nobody = { uid: 65534, gid: 65534 }

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * Returns the same command, but without root's privileges if this process has them. The user nobody may not have access to the
 * directory of the checkout, such as /root or a temporary directory. So the process keeps one capability: to pass through
 * directories. PostgreSQL searches for its programs with access(2), which ignores that capability unless the no_setuid_fixup
 * bit is set.
 */
export function asUnprivileged(command: Command): Command {
  if (!isRoot()) return command
  const identity = [`--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup']
  return { ...command, program: 'setpriv', arguments: [...identity, ...rights, command.program, ...command.arguments] }
}
