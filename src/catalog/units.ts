/** The unit of a metric as texts for people write it. Programs use the key. */
export const unitSymbol = (unit: string): string => (unit === 'mbps' ? 'Mbit/s' : unit)
