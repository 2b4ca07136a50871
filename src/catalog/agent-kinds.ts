export const agentKinds = ['whitebox', 'cpe', 'mobile', 'web'] as const
export type AgentKind = (typeof agentKinds)[number]

/** Agents on a fixed line that run the whole set of unit tests. */
export const unitKinds = ['whitebox', 'cpe'] as const satisfies AgentKind[]
