import type { AgUiContext } from '../../src/formats/ag-ui/reading/context.ts'

type NestedName = Parameters<AgUiContext['removeInnerEntry']>[0]

export const nested: readonly NestedName[] = ['blocks', 'pending']

// @ts-expect-error: the map has no inner maps.
export const flat: NestedName = 'agents'

// @ts-expect-error: the field is no map.
export const noMap: NestedName = 'turn'
