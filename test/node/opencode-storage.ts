import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exportsOf } from '../checks/parity/sessions.ts'

interface Exported {
  readonly info: Record<string, unknown> & { readonly id: string }
  readonly messages: readonly {
    readonly info: { readonly id: string }
    readonly parts: readonly { readonly id: string }[]
  }[]
}

/** Returns the exports of a recording: main and its subagents. */
export const exported = (name: string): readonly Exported[] =>
  Object.values(exportsOf(name)).map((json) => JSON.parse(json))

/** Writes a file and the folders on its way. */
export async function file(path: string, content: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

/** Writes a recording as OpenCode before 1.2 stored it, with one file per message and per part. Returns the storage folder. */
export async function writeStorage(home: string, name: string): Promise<string> {
  const root = join(home, '.local', 'share', 'opencode', 'storage')
  for (const { info, messages } of exported(name)) {
    await file(join(root, 'session', 'global', `${info.id}.json`), JSON.stringify(info))
    for (const message of messages) {
      await file(join(root, 'message', info.id, `${message.info.id}.json`), JSON.stringify(message.info))
      for (const part of message.parts)
        await file(join(root, 'part', message.info.id, `${part.id}.json`), JSON.stringify(part))
    }
  }
  return root
}
