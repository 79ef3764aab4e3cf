import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { distinctFiles, isInside, listFiles, resolveLink } from '../../../src/node/files/list-files.ts'
import { inNewFolder } from '../follow/growing-session.ts'

it('lists files alone: no pipe, no broken link, and a file of several links once', () =>
  inNewFolder(async (folder) => {
    const [a, b] = [join(folder, 'a.jsonl'), join(folder, 'inner', 'b.jsonl')]
    await mkdir(join(folder, 'inner'))
    await writeFile(a, '')
    await writeFile(b, '')
    execFileSync('mkfifo', [join(folder, 'pipe.jsonl')])
    await symlink('pipe.jsonl', join(folder, 'to-pipe.jsonl'))
    await symlink('nothing', join(folder, 'broken.jsonl'))
    await symlink(a, join(folder, 'inner', 'to-a.jsonl'))
    expect(await listFiles(folder, (path) => path.endsWith('.jsonl'))).toEqual([a, b])
    const reported: string[] = []
    const onUnreadable = (path: string) => reported.push(path)
    await listFiles(folder, (path) => path.endsWith('.jsonl'), { onUnreadable })
    // The links were skipped in silence.
    const links = ['to-pipe.jsonl', 'broken.jsonl'].map((name) => join(folder, name))
    expect(new Set(reported)).toEqual(new Set([join(folder, 'pipe.jsonl'), ...links]))
    expect(await distinctFiles([a, join(folder, 'inner', 'to-a.jsonl'), folder])).toEqual([a])
    expect(await resolveLink(join(folder, 'pipe.jsonl'))).toBeUndefined()
  }))

// `show` of a project was silent for 25 s.
it('skips the folders of packages and of Git, but not a folder that is named itself', () =>
  inNewFolder(async (folder) => {
    const [own, foreign] = [join(folder, 'a.jsonl'), join(folder, 'node_modules', 'b.jsonl')]
    for (const name of ['node_modules', '.git']) await mkdir(join(folder, name))
    await writeFile(own, '')
    await writeFile(foreign, '')
    await writeFile(join(folder, '.git', 'c.jsonl'), '')
    const isLines = (path: string) => path.endsWith('.jsonl')
    expect(await listFiles(folder, isLines)).toEqual([own])
    expect(await listFiles(join(folder, 'node_modules'), isLines)).toEqual([foreign])
  }))

it('knows the files of a folder, also of the root', () => {
  expect(isInside('/a/b', '/a')).toBe(true)
  expect(isInside('/ab', '/a')).toBe(false)
  expect(isInside('/a', '/')).toBe(true)
})

it('refuses a name that the system refuses', async () => {
  await expect(resolveLink('x'.repeat(300))).rejects.toMatchObject({ code: 'unreadable' })
})
