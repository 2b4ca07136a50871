export const agentKinds = ['whitebox', 'cpe', 'mobile', 'web'] as const
export type AgentKind = (typeof agentKinds)[number]

/** The kinds of agent on a fixed line. Agents of these kinds run all tests of the family `unit`. */
export const unitKinds = ['whitebox', 'cpe'] as const satisfies AgentKind[]
