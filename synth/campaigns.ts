/** The recruitment campaign and wave that brought an agent to the panel. Most agents have none. */
export const campaigns: readonly { custom: Record<string, string | number>; share: number }[] = [
  { custom: {}, share: 80 },
  { custom: { campaign: 'rural', wave: 1 }, share: 9 },
  { custom: { campaign: 'rural', wave: 2 }, share: 5 },
  { custom: { campaign: 'schools', wave: 1 }, share: 6 },
]
