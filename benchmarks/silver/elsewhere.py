"""Words that are names elsewhere: an apple that is eaten, the banks of a river."""

from __future__ import annotations

import re

APPLE = re.compile(
    "[个颗斤箱筐袋只吃削啃摘种红青烂]苹果|苹果[树皮汁醋园派酱核肉干片酒]|水果|果农|果园|红富士|香蕉|橘|桃|梨"
)
"""Where 苹果 is no firm: what stands right beside it, or other fruit in the sentence."""

BANKS = re.compile(
    "[江河溪湖渠港浦川](?:[的边沿][线边的]?)?两岸|(?:东西|南北|[沿夹隔])两岸"
    "|两岸的?(?:青山|群山|风光|景色|灯火|居民|村民|百姓|农田|绿树|树木|植被|峭壁|悬崖|高楼|堤)"
)
"""Where 两岸 is the banks of a river, and not both sides of the Strait."""

STRAIT = re.compile("海峡|台湾|台胞|同胞|大陆|台商|国民党|和平|统一")
"""What says that it is both sides of the Strait."""


def names_elsewhere(text: str) -> set[str]:
    """What is no name in a sentence and is one in others."""
    found = set()
    if "苹果" in text and APPLE.search(text):
        found.add("苹果")
    if "两岸" in text and BANKS.search(text) and not STRAIT.search(text):
        found.add("两岸")
    return found
