#!/usr/bin/env python3
"""Writes resnet18.csv: the convolutions of ResNet-18 for one image of 224 x 224, padding included.

He, Zhang, Ren and Sun, Deep residual learning for image recognition, CVPR, 2016, table 1.
"""

HEADER = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides"


def layers():
    yield "conv1", 224 + 6, 7, 3, 64, 2
    size, channels = 56, 64
    for stage, filters in enumerate((64, 128, 256, 512), start=2):
        for block in (1, 2):
            stride = 2 if stage > 2 and block == 1 else 1
            yield f"conv{stage}_{block}a", size + 2, 3, channels, filters, stride
            if stride == 2:
                yield f"conv{stage}_{block}s", size, 1, channels, filters, stride
                size //= 2
            channels = filters
            yield f"conv{stage}_{block}b", size + 2, 3, channels, filters, 1
    yield "fc", 1, 1, 512, 1000, 1


def main():
    with open("resnet18.csv", "w", encoding="ascii") as out:
        out.write(HEADER + "\n")
        for name, size, kernel, channels, filters, stride in layers():
            out.write(f"{name},{size},{size},{kernel},{kernel},{channels},{filters},{stride}\n")


if __name__ == "__main__":
    main()
