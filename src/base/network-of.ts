/**
 * Returns the key under which sign-in attempts from an address are counted: the IPv4 address, or the /64 network of an IPv6
 * address, because one subscriber usually has a whole /64.
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

/** Maximum length of a key. A proxy header can contain a text that is not an address. */
const addressCharactersMax = 64

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))
