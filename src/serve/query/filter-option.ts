import { SpokenError } from '../../base/spoken-error.ts'

type Filter = { id: string; filterType: 'include' | 'exclude'; filterValues: string[] }

/** `isp=Acme`, `isp=Other`, `country!=FR` → one filter for each id and direction; their values are alternatives. */
export function parseFilter(options: readonly string[]): Filter[] {
  const filters = new Map<string, Filter>()
  for (const option of options) {
    const [, id, not, value] = /^([^=!]+)(!?)=(.*)$/s.exec(option) ?? []
    if (id === undefined || value === undefined)
      throw new SpokenError(`--filter takes id=value or id!=value, not "${option}"`)
    const filterType = not === '' ? 'include' : 'exclude'
    const filter = filters.get(`${filterType} ${id}`) ?? { id, filterType, filterValues: [] }
    filters.set(`${filterType} ${id}`, { ...filter, filterValues: [...filter.filterValues, value] })
  }
  return [...filters.values()]
}
