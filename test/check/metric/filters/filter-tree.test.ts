import { expect, it } from 'vitest'
import { leavesOf, mapLeaves, type FilterTree } from '../../../../src/check/metric/filters/filter-tree.ts'

type Leaf = { readonly kind: 'leaf'; readonly id: string }
const leaf = (id: string): Leaf => ({ kind: 'leaf', id })
const tree: FilterTree<Leaf> = {
  kind: 'any',
  of: [leaf('isp'), { kind: 'not', of: { kind: 'all', of: [leaf('base'), leaf('unit')] } }],
}

it('lists the leaves in the order of the request', () => {
  expect(leavesOf([tree, leaf('agent')]).map(({ id }) => id)).toEqual(['isp', 'base', 'unit', 'agent'])
})

it('changes the leaves of a tree and nothing else', () => {
  expect(mapLeaves(tree, ({ id }) => leaf(`${id}!`))).toEqual({
    kind: 'any',
    of: [leaf('isp!'), { kind: 'not', of: { kind: 'all', of: [leaf('base!'), leaf('unit!')] } }],
  })
})
