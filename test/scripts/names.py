#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Lists the names that users meet: what stands at namespace level outside of `detail`.

    names.py INCLUDE_DIRECTORY PAGE            writes the page
    names.py --check INCLUDE_DIRECTORY PAGE    fails for a name without a comment, or an old page
    names.py --self-test                       --check fails where it should

What the page says of a name is the first sentence of the comment above its first declaration. In
local/ users meet the headers in LOCAL; the others are the inside of its kernels.
"""
import pathlib
import re
import sys
import tempfile

import checks

HEAD = '''# Names

What users meet, by header: everything at namespace level outside of `detail`, with the first sentence of its
comment. Written by `test/scripts/names.py include docs/names.md`; a test fails where a name has no comment or this
page is not up to date. The words are explained in the [glossary](glossary.md).
'''
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\''
                   r'|[A-Za-z_]\w*|::|->|[^\s\w]|\d[\w.\']*', re.DOTALL | re.MULTILINE)
LOCAL = {'axes_in_place', 'axes_pass', 'coset_pass', 'coset_sequence', 'fold', 'in_place', 'instructions', 'pass', 'permute', 'reference',
         'spread', 'threading', 'tuning'}
CLOSES = {'<': '>', '(': ')', '[': ']'}


def tokens_of(text):
    """Comments with ///, as one token for a block, and what is no comment or directive."""
    block = []
    for match in TOKEN.finditer(text):
        token = match.group()
        if token.startswith('///') and not token.startswith('///<'):
            block.append(token[3:].strip())
            continue
        if token.startswith(('//', '/*')) or token.lstrip().startswith('#'):
            continue
        if block:
            yield '/// ' + '\n'.join(block)
            block = []
        yield token


def skipped(tokens, at):
    """The place behind the bracket that opens at `at`."""
    closes, depth = CLOSES[tokens[at]], 0
    for k in range(at, len(tokens)):
        depth += (tokens[k] == tokens[at]) - (tokens[k] == closes)
        if depth == 0:
            return k + 1
    return len(tokens)


def without_templates(tokens):
    """A declaration without its template parameters, attributes and constraint."""
    at = 0
    while at < len(tokens):
        if tokens[at] == 'template' and at + 1 < len(tokens) and tokens[at + 1] == '<':
            at = skipped(tokens, at + 1)
        elif tokens[at] == '[':
            at = skipped(tokens, at)
        elif tokens[at] == 'requires':
            at += 1
            while True:  # a name or brackets, joined by && and ||
                if tokens[at] == 'requires':  # an expression: its braces are left out before
                    at = skipped(tokens, at + 1)
                elif tokens[at] == '(':
                    at = skipped(tokens, at)
                else:
                    while re.fullmatch(r'\w+|::', tokens[at]):
                        at += 1
                        if tokens[at] == '<':
                            at = skipped(tokens, at)
                            break
                if tokens[at:at + 2] not in (['&', '&'], ['|', '|']):
                    break
                at += 2
        else:
            return tokens[at:]
    return []


def name_of(declaration):
    """The name that a declaration brings in, if it is one that can be told."""
    tokens = without_templates(declaration)
    if not tokens or tokens[0] in ('static_assert', 'friend', 'extern', 'template', 'namespace', '&'):
        return None
    if tokens[0] == 'concept':
        return tokens[1]
    if tokens[0] == 'using':
        return tokens[1] if tokens[2:3] == ['='] else None
    if tokens[0] in ('struct', 'class', 'enum', 'union'):
        return next(t for t in tokens[1:] if t not in ('class', 'struct'))
    if 'operator' in tokens:
        return None
    at = 0
    while at < len(tokens):
        if tokens[at] == '<':
            at = skipped(tokens, at)
        elif tokens[at] in ('(', '='):
            guide, member = '->' in tokens and at == 1, tokens[at - 2:at - 1] == ['::']
            known = at > 0 and not guide and not member and tokens[at - 1].isidentifier()
            return tokens[at - 1] if known else None
        else:
            at += 1
    return tokens[-1] if len(tokens) > 1 and tokens[-1].isidentifier() else None


def is_inside(declaration):
    """Whether braces that come now are a part of the declaration: requires(..) {..}, T<unsigned{N}>."""
    depth, angles, group = 0, 0, None
    for k, token in enumerate(declaration):
        if token == '(' and depth == 0:
            group = declaration[k - 1]
        depth += (token == '(') - (token == ')')
        if depth == 0:
            angles += (token == '<') - (token == '>')
    return angles > 0 or (declaration[-1:] == [')'] and group == 'requires')


def names_of(text):
    """What a header has at namespace level: (namespace, name, comment), comment '' for none."""
    scopes, declaration, comment, skip, round_depth = [], [], '', 0, 0
    for token in tokens_of(text):
        if skip:
            skip += (token == '{') - (token == '}')
            continue
        if token.startswith('/// '):
            if not declaration:
                comment = token[4:]
            continue
        round_depth += (token == '(') - (token == ')')
        if token == '{' and (round_depth or is_inside(declaration)):
            skip = 1
        elif token == '{':
            if 'namespace' in declaration:
                scopes.append(''.join(declaration[declaration.index('namespace') + 1:]))
            else:
                yield '::'.join(scopes), name_of(declaration), comment
                skip = 1
            declaration, comment = [], ''
        elif token == '}':
            scopes.pop()
            declaration, comment = [], ''
        elif token == ';':
            if declaration:
                yield '::'.join(scopes), name_of(declaration), comment
            declaration, comment = [], ''
        else:
            declaration.append(token)


def sentence_of(comment):
    """The first sentence, in one line."""
    paragraph = re.split(r'\n(?=\s*$|[A-Z]\w+  )', comment)[0]
    line = ' '.join(paragraph.split())
    match = re.match(r'(.*?[^.\s][.:])(?=\s|$)(?!\s*[a-z0-9])', line)
    return (match.group(1) if match else line).rstrip(':').replace('|', '\\|')


def public_names(root):
    """{header: {qualified name: comment}}, overloads with the first comment that there is."""
    pages, where = {}, {}
    for path in sorted(root.rglob('*.hpp')):
        header = str(path.relative_to(root))
        if 'local' in path.relative_to(root).parts and path.stem not in LOCAL:
            continue
        for scope, name, comment in names_of(path.read_text(encoding='utf-8')):
            if name is None or 'detail' in scope.split('::') or not scope.startswith('bmmc'):
                continue
            qualified = (scope + '::' + name).removeprefix('bmmc::')
            home = where.setdefault(qualified, header)
            found = pages.setdefault(home, {})
            found[qualified] = found.get(qualified) or comment
    return pages


def page_of(pages):
    lines = [HEAD]
    for header, names in pages.items():
        lines += [f'## {header}', '', '| name | |', '|---|---|']
        lines += [f'| `{name}` | {sentence_of(comment)} |' for name, comment in names.items()] + ['']
    return '\n'.join(lines)


def complaints(root, page):
    pages = public_names(root)
    for header, names in pages.items():
        for name, comment in names.items():
            if not comment:
                yield f'{header}: {name} has no comment: document it, or move it to detail'
    if page.read_text(encoding='utf-8') != page_of(pages):
        yield f'{page} is out of date: test/scripts/names.py {root} {page}'


SAMPLE = '''
#pragma once
namespace bmmc {
/// What one is. More of it.
template <class T, class U = std::vector<T>>
  requires(A<T> && B<U>) && C<T>
[[nodiscard]] constexpr std::pair<T, U> one(T x = {}, int y = f<3>(2)) noexcept { return g(x); }
template <class T> void one(T, T) {}
/// Constrained.
template <class T>
  requires requires(T t) { t.x(); }
std::array<T, unsigned{3}> zero(T) { return {}; }
/// Two says 3.5 things: all of them.
template <class T>
concept Two = requires(T t) { t.x(); } && One<T>;
namespace detail { void hidden(); }
namespace layout {
/// A class
class three : public base { public: void member(); };
three(int) -> three;
}
/// Four.
inline constexpr unsigned four = 4;
/// Five.
using five = std::array<int, 5>;
/// Six.
enum class six { a, b };
static_assert(Two<five>);
constexpr bool operator==(five, six) { return true; }
}
'''


def self_test():
    with tempfile.TemporaryDirectory() as directory:
        root, page = pathlib.Path(directory, 'include'), pathlib.Path(directory, 'names.md')
        (root / 'bmmc').mkdir(parents=True)
        header = root / 'bmmc/a.hpp'
        header.write_text(SAMPLE, encoding='utf-8')
        found = {name: sentence_of(text) for name, text in public_names(root)['bmmc/a.hpp'].items()}
        expected = {'one': 'What one is.', 'zero': 'Constrained.', 'Two': 'Two says 3.5 things: all of them.',
                    'layout::three': 'A class', 'four': 'Four.', 'five': 'Five.', 'six': 'Six.'}
        page.write_text(page_of(public_names(root)), encoding='utf-8')
        right = found == expected and not list(complaints(root, page))
        header.write_text(SAMPLE.replace('/// Five.\n', ''), encoding='utf-8')
        texts = list(complaints(root, page))
        right = right and len(texts) == 2 and 'five has no comment' in texts[0]
        header.write_text(SAMPLE.replace('four', 'fourth'), encoding='utf-8')
        right = right and len(list(complaints(root, page))) == 1
        if not right:
            print('self-test:', found, texts)
    return 0 if right else 1


def main(arguments):
    if arguments == ['--self-test']:
        return self_test()
    if len(arguments) == 3 and arguments[0] == '--check':
        return checks.report(complaints(pathlib.Path(arguments[1]), pathlib.Path(arguments[2])))
    if len(arguments) != 2:
        print(__doc__)
        return 2
    pathlib.Path(arguments[1]).write_text(page_of(public_names(pathlib.Path(arguments[0]))),
                                          encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
