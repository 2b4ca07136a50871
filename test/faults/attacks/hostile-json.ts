import fc from 'fast-check'

/** A text that the attack writes into a body unchanged. JSON.stringify cannot produce it. */
class Verbatim {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const verbatim = (texts: readonly string[]): Verbatim[] => texts.map((text) => new Verbatim(text))
const text = (characters: string): string => JSON.stringify(characters)

const numbers = verbatim([
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '-0.0',
  '0e0',
  '9007199254740993',
  '-9007199254740993',
  '1e21',
  '2147483648',
  '4294967296',
  '-1',
  '1.5',
  '0.1e1',
  '01',
  '+1',
  '.5',
  '1.',
  'NaN',
  'Infinity',
  '0x10',
  '9'.repeat(400),
])
const strings = verbatim([
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ufeff"',
  '"\\u202e"',
  '"\\ud83d\\ude00"',
  '""',
  '" "',
  '"null"',
  '"true"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"\'; DROP TABLE agents; --"',
  '"${7*7}"',
  '"%00"',
  '"2026-02-30 00:00"',
  '"0000-01-01 00:00"',
  '"9999-12-31 23:59:59"',
  '"2026-01-01 24:00"',
  '"+99999999999 days"',
  '"-2147483649 days"',
  '"last friday"',
  '"1970"',
  '"99999"',
  '"2026-01-01T00:00"',
  '"custom."',
  '"custom.\\u0000"',
  '"a:b:c"',
  '"unquoted',
  '"\\x41"',
  '"\u0001"',
  text('x'.repeat(256)),
  text('é'.repeat(70_000)),
  text('x'.repeat(250_000)),
  text('x'.repeat(300_000)),
])
const structures = verbatim([
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '[[]]',
  '[1,]',
  '{"a":1,}',
  '/**/1',
  '',
  '[]',
  '{}',
  'null',
  'true',
  'false',
  `[${'1,'.repeat(50_000)}1]`,
  'undefined',
  '['.repeat(10_000) + ']'.repeat(10_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  // The serialiser uses recursion for an object with a numeric key or with `toJSON`, and for everything around it.
  `${'{"0":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  `${'['.repeat(20_000)}{"toJSON":0}${']'.repeat(20_000)}`,
  '['.repeat(10_000),
  '['.repeat(400_000),
  `${'{"a":['.repeat(5_000)}${']}'.repeat(5_000)}`,
  `{${text('k'.repeat(300))}:1}`,
  `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":${index}`).join(',')}}`,
])

const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...numbers) },
  { weight: 4, arbitrary: fc.constantFrom(...strings) },
  { weight: 3, arbitrary: fc.constantFrom(...structures) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

type Change = { at: number; how: 'replace' | 'remove' | 'add' | 'double' | 'swap'; name: string; value: unknown }

/** Up to three mutations of a valid value. With no mutation, the value stays valid. */
export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'double', 'swap'),
    name: fc.oneof(
      fc.constantFrom('__proto__', 'constructor', '', 'Metric', 'id', '\u0000', 'a[b]', 'x'.repeat(300)),
      fc.string(),
    ),
    value: anyValue,
  }),
  { maxLength: 3 },
)

type Members = [name: string, value: unknown][]
/** Stores an object as a list of members, so that a name can occur twice. */
class Node {
  members: Members
  readonly isList: boolean
  constructor(members: Members, isList: boolean) {
    this.members = members
    this.isList = isList
  }
}

const toNode = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Verbatim)
    ? new Node(
        Object.entries(value).map(([name, item]) => [name, toNode(item)]),
        Array.isArray(value),
      )
    : value

const nodesOf = (value: unknown): Node[] =>
  value instanceof Node ? [value, ...value.members.flatMap(([, item]) => nodesOf(item))] : []

function write(value: unknown): string {
  if (value instanceof Verbatim) return value.text
  if (!(value instanceof Node)) return JSON.stringify(value) ?? 'null'
  if (value.isList) return `[${value.members.map(([, item]) => write(item)).join(',')}]`
  return `{${value.members.map(([name, item]) => `${JSON.stringify(name)}:${write(item)}`).join(',')}}`
}

/** Applies the mutations to a value. Returns the JSON text. */
export function changedText(value: unknown, wanted: readonly Change[]): string {
  let root = toNode(value)
  for (const { at, how, name, value: other } of wanted) {
    const nodes = nodesOf(root)
    const node = nodes[at % Math.max(nodes.length, 1)]
    if (node === undefined || (how === 'replace' && at % 17 === 0)) root = toNode(other)
    else changeNode(node, Math.floor(at / nodes.length), how, name, other)
  }
  return write(root)
}

function changeNode(node: Node, at: number, how: Change['how'], name: string, value: unknown): void {
  const index = at % Math.max(node.members.length, 1)
  const member = node.members[index]
  if (how === 'add' || member === undefined) node.members.push([name, toNode(value)])
  else if (how === 'remove') node.members.splice(index, 1)
  else if (how === 'double') node.members.push([...member])
  else if (how === 'swap') {
    const other = node.members[(index + 1) % node.members.length]
    if (other !== undefined) [member[1], other[1]] = [other[1], member[1]]
  } else member[1] = toNode(value)
}
