/**
 * Whom attempts from an address are counted for: the address itself, or of IPv6 the network of 64 bits, because everybody who
 * has one has all of it.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, addressCharactersMax)
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const left = groupsOf(head)
  const right = groupsOf(tail ?? '')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const first = [...left, ...zeros, ...right].slice(0, 4)
  return `${first.map((group) => group.replace(/^0+(?=.)/, '').toLowerCase()).join(':')}::/64`
}

/** What a proxy writes there is not always one. */
const addressCharactersMax = 64

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))
