import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the names, the licences and the licence texts of bundled packages. Throws an `Error` for a package without a licence text. */
export async function noticesOf(folders: readonly string[]): Promise<string> {
  const packages = await Promise.all(folders.map(noticeOf))
  const texts = new Map<string, string[]>()
  for (const { name, text } of packages) texts.set(text, [...(texts.get(text) ?? []), name])
  const sections = [...texts].map(([text, names]) => `${[...new Set(names)].join(', ')}\n\n${text}`)
  return `This page contains these packages:\n\n${sections.join('\n\n----\n\n')}`
}

async function noticeOf(folder: string): Promise<{ readonly name: string; readonly text: string }> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? `Licence: ${license}` : await readFile(join(folder, file), 'utf8')
  if (license === undefined) throw new Error(`${name}: no licence`)
  // A comment of HTML must not have two dashes.
  return { name: `${name} ${version} (${license})`, text: text.trim().replaceAll('--', '- -') }
}
