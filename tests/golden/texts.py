"""The texts that are tagged: a page of odd ones, and everyday ones joined and spoilt by chance."""

from __future__ import annotations

import random
import re
from pathlib import Path

HERE = Path(__file__).parent

_LONG = "张三丰李雷在北京大学和上海银行研究商品价格王小明去了南京市长江大桥看天气市民都说服务很好"

ODD = [
    "",
    " ",
    "王小明和李雷去了北京大学，今天天气很好。",
    "\n",
    " \t\u3000\n ",
    "他说的确实在理，商品和服务的价格上涨了12.5%！",
    "  北京  上海\u3000广州  ",
    "王\n小明在北\n京大学\n\n工作。",
    "李雷\r\n去了\r上海\x85市\u2028南京\u2029路",
    "今天😄天气很好👍🏽，我们去北京🎉🎉！",
    "全家福👨‍👩‍👧‍👦在上海，👩‍💻在广州🇨🇳🇫🇷🇧",
    "cafe\u0301里有e\u0301\u0327，北\u0301京\u20dd大学",
    "\u0301王小明\u200d李雷\u200b在\ufeff北京\u2060大学",
    "ＡＢＣ公司在１９６８年１２月３１日发布了新手机。",
    "ｱｲｳ ﾊﾟﾋﾟ ㈱北京 ㊣ ① ㎏ ﬁ ﷺ",
    "機器學習改變了我們處理語言的方式，上海銀行經理張三豐說。",
    "臺灣與後來的發展，頭髮發白，乾燥幹部。",
    "北京\ud800大学\udfff和上海\ud83d\ude04",
    "\udc00",
    "请看https://www.example.com/a?b=c&d=北京#上海，邮件help@example.com。",
    "见 http://例子.测试/路径/页面.html ；或 ftp://a.b:21/",
    "Python 3.11 and GitHub's API: don't stop-me_now",
    "iPhone15手机卖5999.00元，Wi-Fi是5G的。",
    "1234567890 3.14159 1,000,000 50% -7℃ ２０２４",
    "\x00\x01王小明\x07在\x1b[31m北京\x7f\x9f大学",
    "。。。！！！？？……——“”‘’《》【】（）",
    "“王小明说：‘北京大学很好。’”他笑了。",
    "李雷、王小明、张三丰、李小福、赵六都来了。",
    "李雷王小明张三丰李小福",
    "南京市长江大桥",
    "研究生命起源的研究生",
    "王",
    "好。",
    "a",
    "아버지가 방에 들어가신다. こんにちは世界、東京都。Привет, мир! שלום مرحبا",
    "𠮷野家在𪚥北京，𝒜𝓑𝟙𝟚。",
    "鬱\u200b鑫龘靐齉\ue000\uf8ff\U000f0000",
    "葛\U000e0100城市 漢\ufe00字 ☺\ufe0f☺\ufe0e #\ufe0f\u20e3",
    "上海银行经理\t张三丰\t１９８０年生\t现任北京银行经理",
    "哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈笑死我了hhhhhh",
    "天气很好；" * 45 + "我们去北京。",
    "".join(_LONG[place * place * 7 % len(_LONG)] + _LONG[place % 29] for place in range(310)),
]
"""Odd texts. The last has more characters than a window, and no mark where it could be cut."""


def everyday() -> list[str]:
    """The odd texts, and a few hundred everyday ones, the same each time.

    The sentences of `everyday.txt` come alone, joined to longer texts, and spoilt: with letters
    missing, doubled, swapped, in full width, or between spaces.
    """
    lines = (HERE / "everyday.txt").read_text(encoding="utf-8").splitlines()
    chance = random.Random(5)

    def below(bound: int) -> int:
        return int(chance.random() * bound)  # the same in every version of Python

    made = [*ODD, *lines]
    for _ in range(60):
        between = ("", "", " ", "\n", "\n\n", "\u3000")[below(6)]
        made.append(between.join(lines[below(len(lines))] for _ in range(2 + below(7))))
    for _ in range(90):
        text = list(lines[below(len(lines))])
        for _ in range(1 + below(4)):
            place = below(len(text))
            kind = below(5)
            if kind == 0:
                text[place] = ""
            elif kind == 1:
                text[place] *= 2
            elif kind == 2:
                text[place], text[0] = text[0], text[place]
            elif kind == 3:
                text[place] = re.sub("[!-~]", _wide, text[place])
            else:
                text[place] += " "
        made.append("".join(text))
    for _ in range(4):  # no mark to cut at, longer than a window
        row = "".join(lines[below(len(lines))] for _ in range(24))
        made.append(re.sub(r"[^\u4e00-\u9fff0-9A-Za-z]", "", row)[:700])
    return made


def _wide(found: re.Match[str]) -> str:
    return chr(ord(found[0]) + 0xFEE0)
