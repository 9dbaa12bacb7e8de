/** What the integrity checks know of a prepared graph (REC-18, REC-19). Built once a definition, shared by its runs. */
export interface DefinitionView {
  /** The graph at a static path: `""` is the root, `"a/b"` the graph mounted by node `b` of the graph mounted by `a`. */
  graph(path: string): GraphView | undefined;
  /** The same as the header's `outline`, of the definition at hand: what each part is, by path (DUR-4). */
  readonly outline?: Readonly<Record<string, string>>;
}

export interface GraphView {
  /** The graph's id. */
  readonly graph: string;
  readonly nodes: ReadonlyMap<string, NodeView>;
  /** Who provides each key that a node of this graph waits for. */
  readonly providers: ReadonlyMap<string, Provider>;
}

export interface NodeView {
  /**
   * The plain keys that it waited for before it ran. No stream, which is met by its source and not by a confirmed node
   * (CKPT-26); none for a mount, whose wiring is no gate (CKPT-4), and none for the provider of a replaced key, which is
   * recorded without running (DUR-23).
   */
  readonly requires: readonly string[];
  readonly provides: readonly KeyView[];
  /** The retries of its effective chain, outermost first (CKPT-20). */
  readonly boundaries: readonly BoundaryView[];
  /** What it mounts, if it is a mount. */
  readonly child?: ChildView;
}

/** A graph that a node mounts. */
export interface ChildView {
  readonly path: string;
  /** Of each scope that was opened with stable bindings (REC-3). */
  readonly fingerprint: string;
  /** Where each of the child's inputs comes from, for scopes that keep the older fingerprint (REC-3). */
  readonly inputs: readonly ChildInput[];
}

/** `in`: bound to a key of the graph around. `fix`: a fixed value, by its fingerprint. `none`: optional, and left out. */
export type ChildInput =
  | { readonly kind: "in"; readonly name: string; readonly from: string }
  | { readonly kind: "fix"; readonly name: string; readonly fingerprint: string }
  | { readonly kind: "none"; readonly name: string };

/** A codec, as value records name it. */
export interface CodecView {
  readonly codec: string;
  readonly codecVersion: string;
}

/** A key that a node provides. Of a stream the codec is that of its elements (REC-10). */
export interface KeyView extends CodecView {
  readonly name: string;
  /** Of a stream key: which stream it names. Of a mount's key: the stream that the mount passes on (STR-12). */
  readonly stream?: StreamView;
}

/** One stream of the definition, whatever names it has. */
export interface StreamView {
  /** The graph that the writing node stands in, by its static path. */
  readonly path: string;
  readonly nodeId: string;
  /** The writing node's own key. */
  readonly key: string;
  readonly capacity: number;
  /** Its writer declared that it goes on from its position (STR-48). */
  readonly resumable: boolean;
  /** The codec of positions; without it that of recorded ones is not compared. */
  readonly position?: CodecView;
  /** The nodes that read it, each in its group (STR-5). The host's groups are not among them. */
  readonly readers: readonly StreamReaderView[];
}

/** A node that reads a stream. */
export interface StreamReaderView {
  /** The graph that it stands in, by its static path. */
  readonly path: string;
  readonly nodeId: string;
  readonly group: string;
}

export interface BoundaryView {
  readonly boundary: string;
  readonly limit: number;
}

/**
 * `outer`: an input that the mount binds to a key of the graph around. `given`: there from the start: an input of the
 * root graph, a fixed value, an optional input that was left out.
 */
export type Provider =
  | { readonly kind: "node"; readonly nodeId: string }
  | { readonly kind: "outer"; readonly key: string }
  | { readonly kind: "given" };
