import { describe, expect, it } from 'vitest'
import { OwnedList } from '../../../../src/core/reducer/owned-list.ts'

interface Item {
  readonly id: string
  readonly text?: string
}

// The user's own state may hold items that are not frozen.
let base: readonly Item[] = []

function listOf(): OwnedList<Item> {
  base = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  return new OwnedList(base, ({ id }) => id)
}

/** Edits the item with the id, and returns the copy. */
function edit(list: OwnedList<Item>, id: string): { id: string; text?: string } {
  const found = list.find(id)
  if (!found) throw new Error(`no ${id}`)
  return list.edit(found)
}

function remove(list: OwnedList<Item>, id: string): void {
  list.remove(list.find(id)?.index ?? -1)
}

describe('the base', () => {
  it('is the result when nothing changes', () => {
    const list = listOf()
    expect(list.find('b')).toEqual({ index: 1, item: { id: 'b' } })
    expect(list.items).toBe(base)
    expect(list.finish()).toBe(base)
  })

  it('is neither changed nor frozen', () => {
    const list = listOf()
    edit(list, 'a').text = 'x'
    list.replace(1, { id: 'new' })
    remove(list, 'c')
    list.append({ id: 'd' })
    list.finish()
    expect(base).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
    expect([base, ...base].filter((part) => Object.isFrozen(part))).toEqual([])
  })

  it.each(['append', 'replace', 'edit', 'remove'])('shares its other items with the copy: %s', (change) => {
    const list = listOf()
    if (change === 'append') list.append({ id: 'd' })
    else if (change === 'replace') list.replace(2, { id: 'c' })
    else if (change === 'edit') edit(list, 'c').text = 'x'
    else remove(list, 'c')
    const items = list.finish()
    expect(items).not.toBe(base)
    expect(items[0]).toBe(base[0])
    expect(items[1]).toBe(base[1])
    expect(items.slice(0, 2).some((item) => Object.isFrozen(item))).toBe(false)
  })
})

describe('an item of the batch', () => {
  it('is copied at its first edit and never again', () => {
    const list = listOf()
    const first = edit(list, 'a')
    expect(first).not.toBe(base[0])
    expect(edit(list, 'a')).toBe(first)
    const second = edit(list, 'b')
    expect([edit(list, 'a'), edit(list, 'b')]).toEqual([first, second])
    expect(edit(list, 'a')).toBe(first)
    expect(edit(list, 'b')).toBe(second)
  })

  it('is kept as it is: an appended one and a replaced one', () => {
    const list = listOf()
    const [appended, replaced] = [{ id: 'd' }, { id: 'b' }]
    list.append(appended)
    list.replace(1, replaced)
    edit(list, 'a')
    expect(edit(list, 'd')).toBe(appended)
    expect(edit(list, 'b')).toBe(replaced)
    expect(list.finish()[1]).toBe(replaced)
  })

  it('is not frozen before the end', () => {
    const list = listOf()
    list.append({ id: 'd' })
    edit(list, 'd').text = 'x'
    remove(list, 'a')
    expect(list.items.some((item) => Object.isFrozen(item))).toBe(false)
    edit(list, 'd').text += 'y'
    expect(list.finish()).toEqual([{ id: 'b' }, { id: 'c' }, { id: 'd', text: 'xy' }])
  })
})

describe('a removed item', () => {
  it('of the batch is frozen, because a branch may keep it', () => {
    const list = listOf()
    const [edited, appended] = [edit(list, 'a'), { id: 'd' }]
    list.append(appended)
    remove(list, 'a')
    remove(list, 'd')
    expect([edited, appended].every((item) => Object.isFrozen(item))).toBe(true)
    expect(list.finish()).toEqual([{ id: 'b' }, { id: 'c' }])
  })

  it('moves the items behind it, and each stays the batch’s own or the base’s', () => {
    const list = listOf()
    const appended = { id: 'd' }
    list.append(appended)
    remove(list, 'a')
    expect(list.items).toEqual([{ id: 'b' }, { id: 'c' }, { id: 'd' }])
    expect(list.find('d')).toEqual({ index: 2, item: appended })
    expect(edit(list, 'd')).toBe(appended)
    expect(edit(list, 'c')).not.toBe(base[2])
    list.append({ id: 'e' })
    expect(list.finish().map((item) => Object.isFrozen(item))).toEqual([false, true, true, true])
  })
})
