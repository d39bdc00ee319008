import sweep


def test_ladder_ends_with_the_end():
    assert sweep.ladder({"conc-start": 4, "conc-end": 20}) == [4, 8, 16, 20]


def test_list_stays_as_it_is():
    assert sweep.ladder({"conc-list": [8, 2]}) == [8, 2]


def test_pinned_nodes():
    role = {"num-worker": 2, "tp": 8, "pp": 1, "pcp-size": 1, "additional-settings": ["DECODE_NODES=3"]}
    assert sweep.nodes(role, 8) == 3
