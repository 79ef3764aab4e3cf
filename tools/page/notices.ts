import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** Returns the names, the licences and the licence texts of the packages that a bundle contains. Throws an `Error` for a package without a licence text. */
export async function noticesOf(bundle: string, folders: readonly string[]): Promise<string> {
  const packages = await Promise.all(folders.map(noticeOf))
  const groups = new Map<string, Notice[]>()
  for (const each of packages) {
    const words = wordsOf(each.terms)
    groups.set(words, [...(groups.get(words) ?? []), each])
  }
  const sections = [...groups.values()].map((members) => {
    const heads = new Set(members.map(({ name, rights }) => [name, ...rights].join('\n')))
    return [...heads, members[0]?.terms].join('\n\n')
  })
  return `${bundle} contains these packages:\n\n${sections.join('\n\n----\n\n')}`
}

/** Returns the folders of the packages whose code is in the bundle. */
export function packagesIn({ outputs }: Metafile): readonly string[] {
  const folders = Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  return [...new Set(folders)].sort()
}

interface Notice {
  readonly name: string
  /** The lines that name the owners. */
  readonly rights: readonly string[]
  /** The rest of the licence, which many packages share. */
  readonly terms: string
}

/** The same licence has other line breaks, and another title, in other packages. */
function wordsOf(terms: string): string {
  return terms
    .replace(/^(?:the )?mit license(?: \(mit\))?/i, '')
    .replace(/\s+/g, ' ')
    .trim()
}

async function noticeOf(folder: string): Promise<Notice> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? `Licence: ${license}` : await readFile(join(folder, file), 'utf8')
  if (license === undefined) throw new Error(`${name}: no licence`)
  // A comment of HTML must not have two dashes.
  const lines = text.trim().replaceAll('--', '- -').split('\n')
  const isRight = (line: string) => /^\s*copyright\b.*\d{4}|^\s*copyright \(c\)/i.test(line)
  return {
    name: `${name} ${version} (${license})`,
    rights: lines.filter(isRight).map((line) => line.trim()),
    terms: lines
      .filter((line) => !isRight(line))
      .join('\n')
      .trim(),
  }
}
