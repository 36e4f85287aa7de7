/** Paths into the records of a search, as types: what a path leads to, and the part of a record that some paths select. */

/** What a path without a field leads to. */
export interface Nowhere {
  readonly nowhere: true
}

type Each<V> = unknown extends V ? unknown : V extends readonly (infer Item)[] ? Item : V extends null ? never : Nowhere
type FollowFrom<V, Path> = unknown extends V
  ? unknown
  : V extends readonly (infer Item)[]
    ? FollowFrom<Item, Path>
    : V extends object
      ? FollowPath<V, Path>
      : V extends null
        ? never
        : Nowhere

/** The type of the value at a path such as `a.b` or `a[].b`. A member of a list is a member of each of its elements. */
export type FollowPath<Row, Path> = Path extends keyof Row
  ? Row[Path]
  : Path extends `${infer First}.${infer Rest}`
    ? FollowFrom<FollowPath<Row, First>, Rest>
    : Path extends `${infer List}[]`
      ? Each<FollowPath<Row, List>>
      : Nowhere

/** A path as one text; `fields` also takes it as a list of names. */
export type PathOf<Names> = Names extends readonly [infer First extends string, ...infer Rest]
  ? Rest extends readonly []
    ? First
    : `${First}.${PathOf<Rest>}`
  : Names extends string
    ? Names
    : never

type Head<Path> = Path extends `${infer First}.${string}` ? Whole<First> : Whole<Path>
type Whole<Name> = Name extends `${infer List}[]` ? List : Name
type Rest<Path, Name extends string> = Path extends `${Name}.${infer Below}` | `${Name}[].${infer Below}` ? Below : never
type ProjectBelow<V, Path> = unknown extends V
  ? unknown
  : V extends readonly (infer Item)[]
    ? ProjectBelow<Item, Path>[]
    : V extends object
      ? string extends keyof V
        ? V
        : { [K in keyof V & Head<Path>]?: ProjectAt<V[K], K, Path> }
      : V
type ProjectAt<V, K, Path> = K extends Whole<Path> ? V : ProjectBelow<V, Rest<Path, K & string>>

/** The part of a record that paths select. Nesting is kept; without a path it is the whole record. */
export type Project<Row, Path> = [Path] extends [never] ? Row : { [K in keyof Row & Head<Path>]: ProjectAt<Row[K], K, Path> }
