import { validationFail } from '../base/fault.ts'
import { limits } from '../base/limits.ts'

/**
 * A body's bytes as JSON, or one 422. Beyond the grammar it refuses what two readers could read differently: bytes that
 * are not UTF-8, a key twice in one object, `__proto__`, and whole numbers that a double cannot hold. And what is so deep
 * that `JSON.stringify`, which some of it is shown by, would run out of stack.
 */
export function checkJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (!isUnambiguous(text)) throw new SyntaxError('ambiguous')
    return value
  } catch {
    throw validationFail({ body: ['This value should be valid JSON.'] })
  }
}

/** Tokens of a text that is known to be JSON, so the pattern need not be strict. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|-?[0-9][0-9.eE+-]*/g

/** `JSON.parse` keeps the last of two equal keys and rounds numbers; only the text still shows it. */
function isUnambiguous(text: string): boolean {
  const open: (Set<string> | null)[] = []
  let previous = ''
  for (const [piece] of text.matchAll(token)) {
    if (open.length > limits.jsonDepthMax) return false
    if (piece === '{') open.push(new Set())
    else if (piece === '[') open.push(null)
    else if (piece === '}' || piece === ']') open.pop()
    else if (piece === ':' && !addKey(open.at(-1), JSON.parse(previous))) return false
    else if (/^[-0-9]/.test(piece) && !isExact(Number(piece))) return false
    previous = piece
  }
  return true
}

function addKey(keys: Set<string> | null | undefined, key: unknown): boolean {
  if (!keys || typeof key !== 'string' || key === '__proto__' || keys.has(key)) return false
  keys.add(key)
  return true
}

const isExact = (number: number): boolean =>
  Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
