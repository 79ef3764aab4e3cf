import { addToList } from '../../core/json/lists.ts'

/** A file or a folder of a tree. */
export type TreeNode<File> =
  | { readonly type: 'file'; readonly name: string; readonly file: File }
  | { readonly type: 'folder'; readonly name: string; readonly children: readonly TreeNode<File>[] }

/** Returns files as a tree of folders. A folder with one folder alone has the names of both. */
export function fileTree<File extends { readonly path: string }>(
  files: readonly File[],
): readonly TreeNode<File>[] {
  return nodesOf(files.map((file) => ({ file, parts: partsOf(file.path) })))
}

/** Returns the files of a tree from its top to its end. */
export function filesOf<File>(nodes: readonly TreeNode<File>[]): readonly File[] {
  return nodes.flatMap((node) => (node.type === 'file' ? [node.file] : filesOf(node.children)))
}

/** Folders at deeper levels are one folder: a hostile path has thousands. */
const MOST_LEVELS = 40

function partsOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.length <= MOST_LEVELS
    ? parts
    : [...parts.slice(0, MOST_LEVELS), parts.slice(MOST_LEVELS).join('/')]
}

interface Placed<File> {
  readonly file: File
  readonly parts: readonly string[]
}

function nodesOf<File>(placed: readonly Placed<File>[]): readonly TreeNode<File>[] {
  const folders = new Map<string, Placed<File>[]>()
  const files: TreeNode<File>[] = []
  for (const { file, parts } of placed) {
    const [name = '', ...rest] = parts
    if (rest.length === 0) files.push({ type: 'file', name, file })
    else addToList(folders, name, { file, parts: rest })
  }
  return [...[...folders].map(([name, inside]) => folderOf(name, nodesOf(inside))), ...files]
}

function folderOf<File>(name: string, children: readonly TreeNode<File>[]): TreeNode<File> {
  const [only, ...others] = children
  if (only?.type === 'folder' && others.length === 0) return { ...only, name: `${name}/${only.name}` }
  return { type: 'folder', name, children }
}
